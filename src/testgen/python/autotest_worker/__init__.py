"""What autotest does in a project's own Python: reads functions, makes mutants, runs tests, searches inputs."""
