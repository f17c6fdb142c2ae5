import type { ContentPart, RichMessage } from "@jaf/memory";
import { isMediaPart, isTextPart } from "@jaf/memory/internal";
import { checkMessages } from "../../../../test/fakes/anthropic-rules.ts";
import { brokenMessageRule } from "../../../../test/fakes/chat-message-rules.ts";
import { brokenToolRule } from "../../../../test/fakes/chat-tool-rules.ts";
import { checkContents } from "../../../../test/fakes/gemini-rules.ts";
import { checkItems } from "../../../../test/fakes/openai-responses-rules.ts";
import type { JsonObject } from "../../../../test/fakes/service.ts";
import { asking, configOf, runBy } from "../../../../test/models/run.ts";
import { APIS, type ApiName, type Recorded } from "./all.ts";

/** What services refuse of the requests for a recorded conversation: those to its own model and those to others. */

interface Judged {
  /** The ids of the service's own items. */
  readonly known: ReadonlySet<string>;
  /** Whether opaque values in the request are the service's own. */
  readonly isOwn: boolean;
}

/** Throws if the documentation of the service says that it refuses the request. */
const RULES: Readonly<Record<ApiName, (body: JsonObject, judged: Judged) => unknown>> = {
  "openai-chat": (body) => {
    const broken = brokenMessageRule(body["messages"]) ?? brokenToolRule(body);
    if (broken !== undefined) throw new Error(broken.message);
  },
  "openai-responses": (body, { known, isOwn }) => {
    const opaque = { isGenuine: () => isOwn };
    checkItems(body, { owner: "", opaque, reasonedFor: new Map(), known });
  },
  anthropic: (body) => checkMessages(body),
  google: (body, { isOwn }) =>
    checkContents(body, { owner: "", opaque: { isGenuine: () => isOwn }, areRequired: !isOwn }),
};

const FOREIGN: Judged = { known: new Set(), isOwn: false };

/**
 * Lets a model of each other API go on with the messages. Returns what is wrong: requests that the service refuses, and
 * opaque values of the recorded model in them.
 */
export async function faultsOfOthers(
  { apiName, recording }: Recorded,
  messages: readonly RichMessage[],
): Promise<readonly string[]> {
  const others = (Object.keys(APIS) as ApiName[]).filter((name) => name !== apiName);
  const { tools = [] } = recording.agent ?? {};
  const found = await Promise.all(
    others.map(async (name) => {
      const bodies: JsonObject[] = [];
      const fetch: typeof globalThis.fetch = async (_, init) => {
        bodies.push(JSON.parse(String(init?.body)));
        return Response.json(APIS[name].plain("Done.").whole);
      };
      const model = name === "google" ? "gemini-3-pro-preview" : "foreign-1";
      const provider = APIS[name].provider("https://foreign.example", { model, fetch });
      const { config } = configOf(provider, { tools }, { modelRetry: { maxAttempts: 1 } });
      const said = asking([...messages, { role: "user", content: "And you?" }]);
      const { outcome } = await runBy("whole", said, config);
      const text = JSON.stringify(bodies);
      return [
        ...(outcome.status === "completed" ? [] : [`${name}: ${JSON.stringify(outcome)}`]),
        ...bodies.flatMap((body) => refusalOf(name, body, FOREIGN)),
        ...opaqueTexts(messages).filter((value) => text.includes(JSON.stringify(value).slice(1, -1))),
      ];
    }),
  );
  return found.flat();
}

/** Returns why the recorded service would refuse its own requests. */
export function faultsOfOwn(
  { apiName, recording }: Recorded,
  requests: readonly Readonly<Record<string, unknown>>[],
): readonly string[] {
  const known = new Set(textsIn([recording.replies, APIS[apiName].plain("")]));
  return requests
    .flatMap((body) => refusalOf(apiName, body as JsonObject, { known, isOwn: true }))
    .filter((refusal) => !UNKNOWN.test(refusal));
}

/** The fakes know few kinds of items and ids. The services take their own back. */
const UNKNOWN =
  /blocks are not permitted|[Ss]upported values|Invalid value|oneof field|Unknown name|Expected an ID|match pattern|Corrupted thought|function response turn|refuses: tools/;

function refusalOf(name: ApiName, body: JsonObject, judged: Judged): readonly string[] {
  try {
    RULES[name](body, judged);
    return [];
  } catch (thrown) {
    return [`${name} refuses: ${thrown instanceof Error ? thrown.message : String(thrown)}`];
  }
}

/** Shorter texts occur in requests by themselves. */
const MIN_LENGTH = 12;

/** The texts in a model's messages that no other model gets: neither said, called nor answered. */
function opaqueTexts(messages: readonly RichMessage[]): readonly string[] {
  const visible = JSON.stringify(messages.map(visibleIn));
  const all = new Set(textsIn(messages.filter(({ role }) => role === "assistant")));
  return [...all].filter(
    (text) => text.length >= MIN_LENGTH && !visible.includes(JSON.stringify(text).slice(1, -1)),
  );
}

const visibleIn = ({ role, content, tool_calls: calls = [], refusal }: RichMessage): unknown =>
  role === "assistant"
    ? [
        typeof content === "string" ? content : content?.map(visiblePart),
        refusal,
        calls.map((call) => [call.id, call.type === "custom" ? call["custom"] : call["function"]]),
      ]
    : content;

function visiblePart(part: ContentPart): unknown {
  if (isTextPart(part)) return part.text;
  if (isMediaPart(part)) return [part.mediaType, part.data, part.url];
  return part.type === "refusal" ? part["refusal"] : undefined;
}

export function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
