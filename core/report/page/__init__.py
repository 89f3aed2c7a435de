"""Everything that was drawn, counted: the sidecars' records, the terminal, and figures/comparison.html."""
