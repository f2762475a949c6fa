"""The decisions, pure: no I/O, no clock, no logging, no randomness. Values in, values out."""
