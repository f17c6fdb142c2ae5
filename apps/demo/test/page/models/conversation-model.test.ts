import { createScriptedModel } from "@jaf/core/testing";
import { createInMemoryProvider } from "@jaf/memory";
import { createServerApp } from "@jaf/server";
import { createJafClient } from "@jaf/server/client";
import { describe, expect, it, vi } from "vitest";
import { createConversationModel } from "../../../page/src/models/conversation-model.ts";

const agent = { name: "clerk", instructions: "Be brief." };

/** A page's conversation on a server in this process. Its responses with stored messages can be delayed. */
async function openPage(replies: readonly string[]) {
  const modelProvider = createScriptedModel(replies);
  const app = await createServerApp(
    [agent],
    { modelProvider },
    { defaultMemoryProvider: createInMemoryProvider() },
  );
  let held: Promise<void> | undefined;
  const client = createJafClient({
    baseUrl: "http://localhost",
    fetch: async (input, init) => {
      const request = new Request(input, init);
      if (request.method === "GET" && /\/conversations\/[^/]+$/.test(new URL(request.url).pathname))
        await held;
      return app.fetch(request);
    },
  });
  const unsent = vi.fn();
  const model = createConversationModel(client, {
    onCreated: () => {},
    onUnsent: unsent,
    onMissing: () => {},
    onChanged: () => {},
  });
  return {
    model,
    unsent,
    texts: () => model.state.get().messages.map(({ message }) => message.content),
    hold: () => {
      let release = () => {};
      held = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    close: () => app.close(),
  };
}

describe("a message that is sent before the last turn's messages are loaded", () => {
  it("waits for them, so they stay visible", async () => {
    const { model, texts, hold, close } = await openPage(["One.", "Two."]);
    const release = hold();
    const first = model.send("First?");
    await vi.waitFor(() => expect(model.state.get().turn?.status).toBe("completed"));
    const second = model.send("Second?");
    release();
    await first;
    expect(texts()).toEqual(["First?", "One."]);
    await second;
    expect(texts()).toEqual(["First?", "One.", "Second?", "Two."]);
    await close();
  });

  it("is returned to the draft if another conversation is opened", async () => {
    const { model, unsent, hold, close } = await openPage(["One."]);
    const release = hold();
    const first = model.send("First?");
    await vi.waitFor(() => expect(model.state.get().turn?.status).toBe("completed"));
    const { conversationId } = model.state.get();
    const second = model.send("Second?");
    await model.open(undefined);
    release();
    await Promise.all([first, second]);
    expect(unsent).toHaveBeenCalledExactlyOnceWith(conversationId, "Second?");
    await close();
  });
});
