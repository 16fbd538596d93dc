"""The local stack: the template on an embedded AWS engine, the remote, and what the engine lacks."""
