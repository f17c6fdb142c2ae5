import { createInMemoryProvider } from "@jaf/memory";
import { expect, it } from "vitest";
import { viewOf } from "../../src/client/provider-view.ts";

it("counts everybody's conversations where no user is named, and refuses a user who is undefined", async () => {
  const provider = createInMemoryProvider();
  await provider.storeMessages("c", [{ role: "user", content: "Hello" }], { userId: "ada" });
  const { provider: view } = viewOf(provider);
  expect(await view.getStats()).toMatchObject({ data: { totalConversations: 1 } });
  expect(await view.getStats("ada")).toMatchObject({ data: { totalConversations: 1 } });
  expect(await view.getStats(undefined)).toMatchObject({ error: { _tag: "MemoryValidationError" } });
});
