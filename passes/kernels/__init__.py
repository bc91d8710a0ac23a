"""Kernel calls get bodies, or a function of a library."""
