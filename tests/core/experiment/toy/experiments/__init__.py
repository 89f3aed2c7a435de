"""The toy paper's experiment."""
