"""Judges tests by their syntax trees."""
