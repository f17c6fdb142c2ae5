import { createScriptedModel } from "@jaf/core/testing";
import { start, gate, block, errors } from "./base.ts";
const call = (name: string, args: any) => ({ toolCalls: [{ name, args }] });
const model: any = { getCompletion: undefined };
import * as T from "@jaf/core/testing";
console.log(Object.keys(T));
const m = createScriptedModel([{ toolCalls: [{ name: "slow", args: {} }] } as any, ...Array.from({ length: 10000 }, () => "Hello.")]);
const s = await start(m);
block();
const r = await s.send("alice", "/chat", { method: "POST", body: JSON.stringify({ message: "go", stream: true }) });
const reader = r.body!.getReader(); const first = new TextDecoder().decode((await reader.read()).value) + new TextDecoder().decode((await reader.read()).value);
console.log(first);
const list = await s.ask("alice", "GET", "/conversations"); const id = list.body.data.conversations[0].conversationId; const turnId = list.body.data.conversations[0].turn?.turnId;
console.log(id, turnId);
const un = crypto.randomUUID();
const strip = (x: any) => { const b = JSON.parse(JSON.stringify(x.body)); if (b?.error) delete b.error.requestId; return x.status + " " + JSON.stringify(b); };
const routes: [string, string, any?, any?][] = [
  ["POST", "/chat", { conversationId: "$", message: "x" }], ["POST", "/chat", { conversationId: "$" }], ["POST", "/chat", { conversationId: "$", history: [], message: "x" }],
  ["POST", "/chat", { conversationId: "$", historyToken: "abc" , message: "x"}],
  ["POST", "/chat", { conversationId: "$", approvals: [{ toolCallId: "a", approvalId: "b", approved: true }] }],
  ["POST", "/chat", { conversationId: "$", toolResults: [{ toolCallId: "a", result: "b" }] }],
  ["POST", "/agents/assistant/chat", { conversationId: "$", message: [{ type: "text", text: "q" }] }],
  ["POST", "/chat", { conversationId: "$", message: [{ type: "nonsense" }] }],
  ["GET", "/conversations/$"], ["PATCH", "/conversations/$", { title: "z" }], ["DELETE", "/conversations/$"], ["GET", "/conversations/$/export"],
  ["POST", "/conversations/$/edit", { position: 0, version: 1, message: "x" }], ["POST", "/conversations/$/regenerate", { version: 1 }], ["POST", "/conversations/$/copy", { version: 1 }],
  ["POST", "/conversations/$/stop", {}], ["POST", "/conversations/$/stop", { turnId }], ["GET", "/conversations/$/events"], ["GET", `/conversations/$/events?turnId=${turnId}`], ["GET", "/conversations/$/events", undefined, { accept: "text/event-stream", "last-event-id": `${turnId}:0` }], ["GET", "/conversations/$/turns"],
];
for (const [m, p, b, h] of routes) { const f = async (i: string) => s.ask("mallory", m, p.replace("$", i), b && JSON.parse(JSON.stringify(b).replace("$", i)), h); const a = await f(id), u = await f(un); console.log(strip(a) === strip(u) ? "same" : "DIFF", m, p, JSON.stringify(b), strip(a), strip(a) === strip(u) ? "" : strip(u), a.ms.toFixed(1), u.ms.toFixed(1)); }
// alice's turn ids in mallory's own conversation
const own = await s.ask("mallory", "POST", "/chat", { message: "mine" });
const mid = own.body.data.conversationId; console.log(own.status, JSON.stringify(own.body));
for (const [m, p, b, h] of [["GET", `/conversations/${mid}/events?turnId=${turnId}`], ["GET", `/conversations/${mid}/events`, undefined, { "last-event-id": `${turnId}:0` }], ["GET", `/conversations/${mid}/events`, undefined, { accept: "text/event-stream", "last-event-id": `${turnId}:0` }], ["POST", `/conversations/${mid}/stop`, { turnId }]] as any) console.log(m, p, strip(await s.ask("mallory", m, p, b, h)));
gate.release();
console.log(strip(await s.ask("alice", "GET", `/conversations/${id}/turns`)).slice(0, 400));
console.log("errors", errors.length, errors.slice(0, 3));
await s.close();
