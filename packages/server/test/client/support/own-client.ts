import { expect, it } from "vitest";
import {
  createJafClient,
  emptyTurn,
  type FoldedTurn,
  type FollowedEvent,
  foldTurn,
  type JafClient,
} from "../../../src/client/index.ts";
import { startChatServer } from "../../ai-sdk/support/chat-server.ts";
import { CUTS, randomEvents, startCuttingProxy } from "../../support/cutting-proxy.ts";
import { ADDED, scenarioAgent, scenarioModel } from "../../support/scenario.ts";
import type { OpenWorld } from "../../support/worlds.ts";

export async function turnOf(events: AsyncIterable<FollowedEvent>): Promise<FoldedTurn> {
  let turn = emptyTurn;
  for await (const event of events) turn = foldTurn(turn, event);
  return turn;
}

export const shown = ({ items }: FoldedTurn) =>
  items.flatMap((item) =>
    item.type === "message" && item.message.content !== "" ? [item.message.content] : [],
  );

async function start(openWorld: OpenWorld) {
  const api = await startChatServer(await openWorld(), [scenarioAgent], scenarioModel);
  const url = new URL(api).origin;
  const clientOf = (baseUrl: string) => createJafClient({ baseUrl });
  return { url, clientOf, client: clientOf(url) };
}

/** Expects that the conversation holds what the client saw of its only turn, and that a later reader sees the same. */
async function expectStored(client: JafClient, turn: FoldedTurn): Promise<void> {
  const conversationId = turn.conversationId ?? "";
  const { messages } = await client.conversations.get(conversationId);
  const stored = messages.map(({ message }) => message);
  expect(stored.filter(({ role }) => role === "assistant")).toEqual(turn.messages);
  const results = turn.items.flatMap((item) => (item.type === "tool" ? [item.result] : []));
  expect(stored.flatMap(({ role, content }) => (role === "tool" ? [content] : []))).toEqual(results);
  expect(await turnOf(client.conversations.follow(conversationId))).toEqual(turn);
}

/** Tests JAF's client against a server with these stores. */
export function itServesOwnClient(openWorld: OpenWorld): void {
  it("streams a turn with a tool and one that waits for an approval", async () => {
    const { client } = await start(openWorld);
    const added = await turnOf(client.chat({ message: "Add." }));
    expect(added).toMatchObject({ status: "completed", pieces: [] });
    expect(shown(added)).toEqual(ADDED);
    await expectStored(client, added);
    const asked = await turnOf(client.chat({ message: "Pay." }));
    const [waiting] = asked.interruptions;
    const { conversationId } = asked;
    if (waiting?.type !== "approval" || conversationId === undefined) return expect.unreachable();
    const { toolCallId, approvalId } = waiting;
    const approvals = [{ toolCallId, approvalId, approved: true }];
    const paid = await turnOf(client.chat({ conversationId, approvals }));
    expect(paid).toMatchObject({ status: "completed", interruptions: [] });
    expect(shown(paid)).toEqual(["Paid."]);
    const { messages } = await client.conversations.get(conversationId);
    expect(messages.map(({ message }) => message.content)).toEqual(["Pay.", "", "paid 5", "Paid."]);
  });

  it("stops a turn and keeps its text", async () => {
    const { client } = await start(openWorld);
    let turn = emptyTurn;
    for await (const event of client.chat({ message: "Talk." })) {
      turn = foldTurn(turn, event);
      if (event.event.type !== "text" || !event.event.text.endsWith("good")) continue;
      expect(await client.conversations.stop(turn.conversationId ?? "")).toEqual({ stopping: true });
    }
    expect(turn).toMatchObject({ status: "stopped", pieces: [] });
    expect(shown(turn)).toEqual(["So far, so good"]);
    await expectStored(client, turn);
  });

  it("gets each event exactly once after connection cuts at twenty random events", {
    timeout: 120_000,
  }, async () => {
    const { url, client, clientOf } = await start(openWorld);
    // The first event is the reconnection delay. The next is the turn's start, without which the client can't find the turn.
    const proxy = await startCuttingProxy(url, (method) =>
      method === "POST" ? randomEvents(2, 12) : undefined,
    );
    const cut = clientOf(proxy.url);
    for (let round = 0; round < CUTS; round++) {
      const turn = await turnOf(cut.chat({ message: "Add." }, { reconnect: { firstDelayMs: 1 } }));
      expect(turn).toMatchObject({ status: "completed", pieces: [] });
      expect(shown(turn)).toEqual(ADDED);
      await expectStored(client, turn);
    }
    expect(proxy.cuts()).toBe(CUTS);
  });
}
