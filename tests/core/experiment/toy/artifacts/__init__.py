"""The toy paper's drawings."""
