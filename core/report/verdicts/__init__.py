"""Verdicts on published numbers and claims: what is compared, when it holds, and what it is called."""
