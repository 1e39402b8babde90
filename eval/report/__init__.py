"""A run as one page that people read: ``from eval.report.page import write_report``."""
