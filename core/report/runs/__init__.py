"""The raw runs that artifacts and claims are made of: frames of cells, trajectories over evaluations or time, tasks."""
