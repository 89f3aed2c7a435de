"""What samples the posterior of `core.models.bohamiann`: a problem, the two engines for it, and the choice of one."""
