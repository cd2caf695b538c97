"""Values as source: literals, objects as the calls that make them, graphs as statements."""
