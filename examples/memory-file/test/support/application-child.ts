import { createMemoryProvider, createMemoryProviderFromEnv } from "@jaf/memory";
import { said, say, UNOWNED } from "./messages.ts";

/** An application that knows only the backend's name. Appends one message, then prints all messages. */
const [content = "", folder] = process.argv.slice(2);
const provider =
  folder === undefined
    ? await createMemoryProviderFromEnv()
    : await createMemoryProvider({ type: "file", folder });

const result = await provider.appendMessages("conversation", [say(content)], {}, UNOWNED);
if (!result.success) throw new Error(result.error.message);
console.log(JSON.stringify(await said(provider, "conversation")));
await provider.close();
