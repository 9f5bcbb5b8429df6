#!/usr/bin/env node
import './quick-start.js';

await import('./main.ts');
