import { runCommand } from '../local/command-line.ts';
import { COMMAND, serve } from '../packages/mcp/command.ts';

// No command of start.js: its packages are installed apart.
process.exitCode = await runCommand(COMMAND, serve);
