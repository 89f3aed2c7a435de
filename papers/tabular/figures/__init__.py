"""Figures of chapter 7 and appendix D: what tables contain, what an analysis of them finds, and searches on them."""
