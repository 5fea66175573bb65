#!/usr/bin/env node
import { runCommandLine } from './cli/program.js';

// A reader that has seen enough (`engraph export | head`) closes the pipe: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

process.exitCode = await runCommandLine(process.argv.slice(2), process);
