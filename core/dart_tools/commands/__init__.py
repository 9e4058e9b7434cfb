"""The commands of `dart-core`, one module each: HELP, configure(parser), run(arguments)."""
