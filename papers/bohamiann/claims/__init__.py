"""What the NIPS paper and chapter 3 of the thesis say about BOHAMIANN, each claim beside its check."""
