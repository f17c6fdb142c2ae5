import { createPostgresUserMemory } from "../../src/user-memory/index.ts";

/** Waits for a line, then creates a store with its own pool, and remembers once. */
const [connectionString = "", schema = ""] = process.argv.slice(2);
console.log("ready");
process.stdin.once("data", async () => {
  try {
    const memory = await createPostgresUserMemory({ connectionString, schema });
    await memory.remember("u", `Has the process id ${process.pid}`);
    await memory.close();
    console.log("result remembered");
  } catch (thrown) {
    console.log(`result ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
  process.stdin.pause();
});
