import { openPglite } from "../../src/pglite/index.ts";
import { createProvider } from "./provider.ts";

/** Opens a folder and appends until it is killed. Prints the number of each acknowledged append. */
const [folder = ""] = process.argv.slice(2);
try {
  const { client } = await openPglite(folder);
  const provider = await createProvider({}, client);
  for (let count = 1; ; count++) {
    const result = await provider.appendMessages("c", [{ role: "user", content: String(count) }]);
    if (!result.success) throw new Error(result.error.message);
    console.log(`acknowledged ${count}`);
  }
} catch (thrown) {
  console.log(`failed ${thrown instanceof Error ? thrown.message : String(thrown)}`);
}
