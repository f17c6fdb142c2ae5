// Runs under Node 22 with AI SDK 7: a chat without a user interface, against the given server. Prints its messages.
import { AbstractChat, DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";

const [api, cutApi, cuts] = process.argv.slice(2);

class HeadlessChat extends AbstractChat {
  constructor({ messages = [], ...init }) {
    const state = {
      ...{ status: "ready", error: undefined, messages },
      pushMessage: (message) => {
        state.messages = [...state.messages, message];
      },
      popMessage: () => {
        state.messages = state.messages.slice(0, -1);
      },
      replaceMessage: (index, message) => {
        state.messages = state.messages.map((each, at) => (at === index ? structuredClone(message) : each));
      },
      snapshot: (value) => structuredClone(value),
    };
    super({ ...init, state });
  }
}

async function until(isTrue) {
  for (let tries = 0; tries < 1_000; tries++) {
    if (await isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("Nothing came of it.");
}

const stored = async (id) => (await (await fetch(`${api}/${id}/messages`)).json()).data.messages;
const errors = [];
const chatOf = (id, more = {}) =>
  new HeadlessChat({
    ...{ id, transport: new DefaultChatTransport({ api }), onError: (error) => errors.push(String(error)) },
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    ...more,
  });
const texts = ({ lastMessage }) => (lastMessage?.parts ?? []).flatMap(({ text }) => text ?? []).join("");

const paying = chatOf("paying");
await paying.sendMessage({ text: "Pay." });
const asked = paying.lastMessage.parts.find(({ approval }) => approval !== undefined);
await paying.addToolApprovalResponse({ id: asked.approval.id, approved: true });
await until(() => paying.status === "ready" && paying.lastMessage.parts.at(-1).type === "text");

const adding = chatOf("adding");
await adding.sendMessage({ text: "Add." });
await adding.regenerate();

const stopping = chatOf("stopping");
const talking = stopping.sendMessage({ text: "Talk." });
await until(() => texts(stopping).endsWith("so good"));
await fetch(`${api}/stopping/stop`, { method: "POST" });
await talking;

// A client that leaves in the middle of a turn and resumes.
const leaving = chatOf("leaving");
const sending = leaving.sendMessage({ text: "Slowly." });
await until(() => texts(leaving).includes("one"));
await leaving.stop();
await sending;
await leaving.resumeStream();

/** A client with a lost connection in each turn. */
const cut = [];
for (let round = 0; round < Number(cuts); round++) {
  const id = `cut-${round}`;
  const transport = new DefaultChatTransport({ api: cutApi });
  const chat = chatOf(id, { transport, onError: () => {} });
  await chat.sendMessage({ text: "Add." });
  while (chat.status === "error") await chat.resumeStream();
  await until(async () => (await stored(id))[1]?.parts.at(-1)?.text?.includes("done"));
  // If the turn has ended, there is nothing to resume: the client loads the stored messages.
  if (!texts(chat).endsWith("done.")) chat.messages = await stored(id);
  cut.push(chat);
}

const chats = [paying, adding, stopping, leaving, ...cut];
console.log(
  JSON.stringify({
    errors,
    held: chats.map(({ messages }) => messages),
    stored: await Promise.all(chats.map(({ id }) => stored(id))),
  }),
);
