"""Writes test files in the way of the project."""
