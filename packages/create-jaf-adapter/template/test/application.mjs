// A user's program. It finds this package by its name, built, as `npm install` would give it.
import { createMemoryProviderFromEnv } from "@jaf/memory";

const memory = await createMemoryProviderFromEnv();
console.log("found");
await memory.close();
