import { createInMemoryProvider } from "@jaf/memory";
import { createCheckpointSaver } from "../src/index.ts";
import { validateSaver } from "./support/validation.ts";

await validateSaver("in memory", async () => {
  const provider = createInMemoryProvider();
  return { saver: createCheckpointSaver({ provider }), close: () => provider.close() };
});
