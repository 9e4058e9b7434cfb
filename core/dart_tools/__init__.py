"""All with input and output around the definition: codec, command line, audit, reports."""
