"""What a run is: settings, seeds, cells, records with provenance, atomic storage, and results to draw from."""
