import { createSqliteProvider } from "../../src/index.ts";
import { say, UNOWNED } from "./open.ts";

/**
 * Appends from several writers at once to one conversation, and prints each message once it is acknowledged. `count`: how
 * many messages each writer appends; without it, until the process is killed.
 */
const [file = "", name = "", writers = "20", count = "Infinity"] = process.argv.slice(2);
const provider = await createSqliteProvider({ file });

async function write(writer: number): Promise<void> {
  for (let number = 0; number < Number(count); number += 1) {
    const content = `${name}-${writer}-${number}`;
    const result = await provider.appendMessages("c", [say(content)], undefined, UNOWNED);
    if (!result.success) throw new Error(result.error.message);
    process.stdout.write(`${content}\n`);
  }
}

await Promise.all(Array.from({ length: Number(writers) }, (_, writer) => write(writer)));
await provider.close();
