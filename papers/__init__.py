"""The replicated papers: one folder each, saying as data and short functions what was run, drawn and published."""
