/** Imports one module, and prints how many milliseconds that took. Not TypeScript: a loader would be measured, too. */
const start = performance.now();
await import(process.argv[2]);
process.stdout.write(String(performance.now() - start));
