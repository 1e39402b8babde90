"""Chats on disk and the importers that read what phones export."""
