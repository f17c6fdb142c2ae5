import { consume } from "./program.ts";

/** Imports the entries named by the first argument, runs the program on the servers of the second, and prints its result. */
const [entries = "[]", servers = "{}"] = process.argv.slice(2);
for (const entry of JSON.parse(entries)) await import(entry);
console.log(JSON.stringify(await consume(JSON.parse(servers))));
