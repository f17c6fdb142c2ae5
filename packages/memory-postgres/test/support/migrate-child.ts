import { createProvider } from "./provider.ts";

/** Waits for a line, then creates a provider with its own pool, and appends once. */
const [connectionString = "", schema = ""] = process.argv.slice(2);
console.log("ready");
process.stdin.once("data", async () => {
  try {
    const provider = await createProvider({ connectionString, schema });
    const stored = await provider.appendMessages("c", [{ role: "user", content: String(process.pid) }]);
    await provider.close();
    console.log(`result ${stored.success ? "stored" : stored.error.message}`);
  } catch (thrown) {
    console.log(`result ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
  process.stdin.pause();
});
