"""Values and pure functions: no file, no clock, no network."""
