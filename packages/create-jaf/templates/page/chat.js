import { createJafClient, emptyTurn, foldTurn } from "@jaf/server/client";

const { chat, conversations } = createJafClient({ baseUrl: "/api" });
const log = document.querySelector("main");
const form = document.querySelector("form");
let conversationId;

const textOf = ({ content }) =>
  typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("");

function element(className, text) {
  return Object.assign(document.createElement("p"), { className, textContent: text });
}

function show(...elements) {
  log.append(...elements.filter(({ textContent }) => textContent !== ""));
  log.scrollTop = log.scrollHeight;
}

/** Shows a reply as it is written. Each event changes the turn, which is shown in place of what was there before. */
async function showReply(events) {
  let turn = emptyTurn;
  const shown = log.childNodes.length;
  for await (const event of events) {
    turn = foldTurn(turn, event);
    conversationId = turn.conversationId;
    for (const old of [...log.childNodes].slice(shown)) old.remove();
    for (const item of turn.items)
      if (item.type === "tool") show(element("tool", `${item.toolName}: ${item.result ?? item.state}`));
      else if (item.type === "message") show(element("assistant", textOf(item.message)));
    show(
      element("assistant", turn.pieces.map((piece) => (piece.type === "text" ? piece.text : "")).join("")),
    );
    if (turn.error) show(element("error", turn.error.message));
  }
}

let work = Promise.resolve();

/** Does one thing after the other: a conversation has one turn at a time. */
function enqueue(task) {
  work = work.then(task).catch(({ message }) => show(element("error", message)));
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const message = form.elements.message.value;
  form.reset();
  enqueue(() => {
    show(element("user", message));
    return showReply(chat({ message, conversationId }));
  });
});

document.querySelector("#new").addEventListener("click", () =>
  enqueue(() => {
    conversationId = undefined;
    log.replaceChildren();
  }),
);

/** Continues the latest conversation, and the reply that is being written. */
async function resume() {
  const [latest] = (await conversations.list({ limit: 1 })).conversations;
  if (latest === undefined) return;
  const { messages, turn } = await conversations.get(latest.conversationId);
  conversationId = latest.conversationId;
  for (const { message } of messages) show(element(message.role, textOf(message)));
  if (turn?.state === "running") await showReply(conversations.follow(conversationId));
}

enqueue(resume);
