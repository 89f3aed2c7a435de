"""Meta-surrogate benchmarking: PROFET (thesis chapter 8 and appendix E)."""
