"""The replicated papers, one folder each: data and short functions that say what was run, drawn and published."""
