import { Agent, request } from "node:http";
import type { ModelProvider } from "@jaf/core";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { document, documentedAnswers, documentedOperations } from "../support/documented.ts";
import { startTestServer } from "../support/test-server.ts";

const COUNT = Number(process.env["JAF_FUZZ_REQUESTS"] ?? 2_000);
const SEED = Number(process.env["JAF_FUZZ_SEED"] ?? 7_341);
const AT_ONCE = 8;
const LONGEST_MS = 10_000;
/** How long to read a stream without an end. */
const READ_MS = 50;

type Schema = Readonly<Record<string, unknown>>;

/** A placeholder in a generated request for an id from the server. */
const KNOWN = /\{\{(\w+)\}\}/g;
const KNOWN_IDS = ["conversationId", "turnId", "factId", "toolCallId", "approvalId"] as const;
type IdName = (typeof KNOWN_IDS)[number];

const hostileText = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom(
    ...[
      "",
      " ",
      "\0",
      "\ud800",
      "..",
      "../..",
      "__proto__",
      "constructor",
      "toString",
      "*",
      "%",
      "%00",
      "{}",
      "[]",
      ":",
      "'--",
    ],
    ...[
      "x".repeat(255),
      "x".repeat(256),
      "x".repeat(3_000),
      "\u{1f600}",
      "\u202e",
      "null",
      "NaN",
      "1e999",
      "-0",
    ],
  ),
);

const idOf = (name: IdName) => fc.oneof({ weight: 4, arbitrary: fc.constant(`{{${name}}}`) }, hostileText);

function textOf(name: string, { minLength = 0, maxLength = 60 }: Schema): fc.Arbitrary<unknown> {
  const known = KNOWN_IDS.find((each) => each === name);
  if (known !== undefined) return idOf(known);
  if (name === "agentName") return fc.constantFrom("assistant", "assistant", "nobody", "__proto__");
  const [least, most] = [Number(minLength), Number(maxLength)];
  return fc.string({ minLength: least, maxLength: Math.max(least, Math.min(most, 60)) });
}

/** Generates a value that fits a JSON schema. */
function validOf(schema: Schema, name = ""): fc.Arbitrary<unknown> {
  const options = (schema["anyOf"] ?? schema["oneOf"]) as readonly Schema[] | undefined;
  if (options !== undefined) return fc.oneof(...options.map((option) => validOf(option, name)));
  if (schema["const"] !== undefined) return fc.constant(schema["const"]);
  if (Array.isArray(schema["enum"])) return fc.constantFrom(...(schema["enum"] as unknown[]));
  switch (schema["type"]) {
    case "string":
      return textOf(name, schema);
    case "boolean":
      return fc.boolean();
    case "integer":
      // A string, replaced together with its quotes.
      if (name === "version")
        return fc.oneof({ weight: 4, arbitrary: fc.constant("{{version}}") }, fc.integer({ min: 0, max: 8 }));
      return fc.oneof(fc.integer({ min: 0, max: 3 }), fc.nat());
    case "number":
      return fc.oneof(fc.integer({ min: 0, max: 8 }), fc.nat());
    case "array":
      return fc.array(validOf((schema["items"] ?? {}) as Schema, name), { minLength: 1, maxLength: 3 });
    case "object":
      return objectOf(schema);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objectOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties as Record<string, Schema>).map(([name, schema]) => {
    const isRequired = (required as readonly string[]).includes(name);
    // Most requests send a message and little else.
    const absent = isRequired ? 0 : name === "message" ? 1 : 6;
    const field = fc.oneof(
      { weight: absent, arbitrary: fc.constant(undefined) },
      { weight: 2, arbitrary: validOf(schema, name) },
    );
    return [name, field] as const;
  });
  return fc.record(Object.fromEntries(fields));
}

/** Breaks a valid request. */
const nearlyValidOf = (schema: Schema): fc.Arbitrary<unknown> =>
  fc
    .tuple(validOf(schema), fc.nat(), fc.oneof(hostileText, fc.jsonValue({ maxDepth: 3 })), hostileText)
    .map(([value, at, wrong, key]) => {
      const body: Record<string, unknown> = { ...(value as object) };
      const keys = Object.keys(body);
      const field = keys[at % (keys.length + 2)] ?? key;
      Object.defineProperty(body, field, { value: wrong, enumerable: true, configurable: true });
      return body;
    });

const partTypes = ["text", "media", "reasoning", "tool_call", "image", "x"] as const;
const parts = fc.array(
  fc.record({ type: fc.constantFrom(...partTypes), text: fc.string() }, { requiredKeys: ["type"] }),
  { minLength: 1, maxLength: 3 },
);

const bodyOf = (schema: Schema): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 5, arbitrary: validOf(schema).map((value) => JSON.stringify(value)) },
    { weight: 4, arbitrary: nearlyValidOf(schema).map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: parts.map((message) => JSON.stringify({ message })) },
    { weight: 1, arbitrary: fc.json({ maxDepth: 5 }) },
    { weight: 1, arbitrary: hostileText },
    {
      weight: 1,
      arbitrary: fc.nat({ max: 400 }).map((depth) => `${'{"message":'.repeat(depth)}1${"}".repeat(depth)}`),
    },
  );

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly schema: Schema;
}

interface Described {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface Generated {
  readonly operation: string;
  /** The path no longer belongs to the operation. */
  readonly isWild: boolean;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Encodes parts of paths correctly, badly, or not at all. */
const inPath = (value: string): string =>
  !/\p{Surrogate}/u.test(value)
    ? encodeURIComponent(value).replaceAll("%7B%7B", "{{").replaceAll("%7D%7D", "}}")
    : "%ED%A0%80";

const queryOf = (parameters: readonly Parameter[]): fc.Arbitrary<string> =>
  fc
    .tuple(
      ...parameters
        .filter((parameter) => parameter.in === "query")
        .map(({ name, schema }) =>
          fc.option(
            fc.oneof(validOf(schema, name), hostileText).map((value) => `${name}=${inPath(String(value))}`),
            { nil: "" },
          ),
        ),
      fc.oneof(
        { weight: 8, arbitrary: fc.constant("") },
        hostileText.map((text) => `${inPath(text)}=1`),
        fc.constant("%=%&&=="),
      ),
    )
    .map((pairs) => pairs.filter((pair) => pair !== "").join("&"));

const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 10, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const headersOf = fc
  .record({
    accept: fc.constantFrom(
      "application/json",
      "text/event-stream",
      "*/*",
      "text/event-stream;q=0",
      "\u00ff",
    ),
    "content-type": fc.oneof(
      { weight: 12, arbitrary: fc.constant("application/json") },
      fc.constantFrom(
        "application/json; charset=utf-16",
        "text/plain",
        "application/x-www-form-urlencoded",
        "\u00e9",
      ),
    ),
    "last-event-id": rarely(
      fc.constantFrom("{{turnId}}:0", "{{turnId}}:99", ":", ":1", "x:1", "x:999999999999999", "\u00ff:1"),
    ),
    origin: rarely(fc.constantFrom("null", "https://evil.example", "not a url", "http://[", "file://")),
    "sec-fetch-site": rarely(fc.constantFrom("cross-site", "same-origin", "x")),
    "x-request-id": rarely(fc.constantFrom("1", "\u00ff", "x".repeat(500))),
  })
  .map((headers) =>
    Object.fromEntries(
      Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
  );

function requestOf(
  method: string,
  path: string,
  { parameters = [], requestBody }: Described,
): fc.Arbitrary<Generated> {
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
  const body = requestBody?.content["application/json"]?.schema;
  return fc
    .record({
      method: fc.oneof(
        { weight: 20, arbitrary: fc.constant(method) },
        fc.constantFrom("PUT", "HEAD", "OPTIONS", "PATCH", "POST"),
      ),
      ids: fc.tuple(...names.map((name) => validOf({ type: "string" }, name))),
      query: queryOf(parameters),
      headers: headersOf,
      body: body === undefined ? rarely(hostileText) : bodyOf(body),
      wild: rarely(fc.constantFrom("/", "//", "/..", "/%2e%2e", "/\\", ";x", "/%", "%00", "#x")),
      user: fc.constantFrom("ada", "ada", "ada", "ada", "ada", "eve", "__proto__"),
    })
    .map(({ ids, query, headers, wild = "", user, ...rest }) => {
      const values = ids.map(String);
      const filled = path.replaceAll(/\{\w+\}/g, () => inPath(values.shift() ?? ""));
      return {
        ...rest,
        operation: `${method} ${path}`,
        isWild: wild !== "",
        path: `${filled}${wild}${query === "" ? "" : `?${query}`}`,
        headers: { "x-user": user, ...headers },
      };
    });
}

function generateRequests(): readonly Generated[] {
  const { paths } = document as unknown as { paths: Record<string, Record<string, Described>> };
  const each = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, described]) => ({
      // Deletions are rare, or too few ids would be left.
      weight: method === "delete" ? 1 : 10,
      arbitrary: requestOf(method.toUpperCase(), path, described),
    })),
  );
  return fc.sample(fc.oneof(...each), { numRuns: COUNT, seed: SEED });
}

/** A model that says something, and sometimes calls a tool or one that needs an approval. */
function createModel(): ModelProvider<unknown> {
  let calls = 0;
  const next = () => {
    calls += 1;
    const tool =
      calls % 5 === 0 ? ["remove", '{"what":"all"}'] : calls % 7 === 0 ? ["add", '{"a":1,"b":2}'] : undefined;
    return { call: `call_${calls}`, tool };
  };
  return {
    getCompletion: () => Promise.reject(new Error("only streams")),
    getCompletionStream: async function* () {
      const { call, tool } = next();
      if (tool === undefined) yield { type: "text_delta", text: "Hello." };
      else yield { type: "tool_call_delta", id: call, name: String(tool[0]), arguments: String(tool[1]) };
      yield { type: "done" };
    },
  };
}

interface Received {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: string;
}

test(`${COUNT} random requests get only documented responses`, {
  timeout: 30_000 + COUNT * 30,
}, async () => {
  const faults: unknown[] = [];
  const server = await startTestServer(createModel(), {
    limits: {
      requestsPerMinute: Number.POSITIVE_INFINITY,
      turnsPerUser: Number.POSITIVE_INFINITY,
      streamsPerUser: Number.POSITIVE_INFINITY,
    },
    onError: (error) => faults.push(error),
  });
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  onTestFinished(() => agent.destroy());
  /** The last response to each user. */
  const knownTo = new Map<string, Map<string, string>>();

  /** Collects ids from a response for the next requests. */
  function learn(user: string, body: string): void {
    const known = knownTo.get(user) ?? new Map<string, string>();
    knownTo.set(user, known);
    for (const name of KNOWN_IDS) {
      const [, id] = new RegExp(`"${name}":"([^"\\\\]+)"`).exec(body) ?? [];
      if (id !== undefined) known.set(name, id);
    }
    const [, version] = /"version":(\d+)/.exec(body) ?? [];
    if (version !== undefined) known.set("version", version);
    const [, fact] = /"facts?":\[?\{"id":"([^"]+)"/.exec(body) ?? [];
    if (fact !== undefined) known.set("factId", fact);
  }

  // Initial data.
  await server
    .ask("ada", "POST", "/chat", { message: "Hello." })
    .then(({ body }) => learn("ada", JSON.stringify(body)));
  await server
    .ask("ada", "POST", "/facts", { fact: "Likes tea." })
    .then(({ body }) => learn("ada", JSON.stringify(body)));

  for (let n = 0; n < 50; n++)
    await server.userMemory.remember("ada", `Somebody wrote the number ${n}.`, { trust: "external" });

  const filledFor = (user: string) => (text: string) =>
    text
      .replaceAll('"{{version}}"', knownTo.get(user)?.get("version") ?? "0")
      .replaceAll(KNOWN, (_, name: string) => knownTo.get(user)?.get(name) ?? "none");

  const send = ({ method, path, headers, body }: Generated) =>
    new Promise<Received>((resolve, reject) => {
      const filled = filledFor(headers["x-user"] ?? "");
      const late = setTimeout(() => {
        reject(new Error("no answer"));
        sent.destroy();
      }, LONGEST_MS);
      const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)]));
      const text = body === undefined ? undefined : Buffer.from(filled(body));
      // Node sets no length automatically for the body of a GET.
      const length = text === undefined ? {} : { "content-length": text.length };
      const sent = request({
        ...{
          host: "127.0.0.1",
          port: server.port,
          agent,
          method,
          path: filled(path),
          headers: { ...own, ...length },
        },
      });
      sent.on("error", reject);
      sent.on("response", (response) => {
        let received = "";
        const done = () => {
          clearTimeout(late);
          const type = response.headers["content-type"]?.split(";")[0];
          resolve({ status: response.statusCode ?? 0, type, body: received });
        };
        response.setEncoding("utf8");
        response.on("data", (piece: string) => {
          received += piece;
        });
        response.on("end", done);
        response.on("error", () => undefined);
        if (path.startsWith("/approvals/stream") && response.statusCode === 200 && method === "GET")
          setTimeout(() => {
            done();
            response.destroy();
          }, READ_MS);
      });
      sent.end(text);
    });

  const wrong: unknown[] = [];
  const documented = new Map(
    documentedOperations.map((operation) => [operation.name, documentedAnswers(operation)]),
  );
  const statuses = new Map<number, number>();
  const answered = new Set<string>();
  const requests = generateRequests();
  const operations = [...new Set(requests.map(({ operation }) => operation))];
  let next = 0;
  async function work(): Promise<void> {
    for (;;) {
      const generated = requests[next++];
      if (generated === undefined) return;
      try {
        const { status, type, body } = await send(generated);
        const isOperation = generated.method === generated.operation.split(" ")[0];
        const given = [status, type].join(" ").trim();
        if (isOperation && !generated.isWild && documented.get(generated.operation)?.includes(given) !== true)
          wrong.push({ ...generated, given, answer: "isn't in the document" });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status >= 500 || /\n\s+at |\.ts:\d|node_modules|node:internal/.test(body))
          wrong.push({ ...generated, status, answer: body.slice(0, 500) });
        if (status === 200 && isOperation) answered.add(generated.operation);
        learn(generated.headers["x-user"] ?? "", body);
      } catch (thrown) {
        wrong.push({ ...generated, thrown: String(thrown) });
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));

  console.info(
    `seed ${SEED}:`,
    Object.fromEntries([...statuses].sort(([a], [b]) => a - b)),
    `${answered.size} operations answered; not:`,
    operations.filter((name) => !answered.has(name)),
  );
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(faults.slice(0, 5).map(String)).toEqual([]);
  // Not only requests that are refused immediately.
  expect(statuses.get(200) ?? 0).toBeGreaterThan(COUNT / 10);
  expect(answered.size).toBeGreaterThan(20);
  await expect
    .poll(() => server.ask("ada", "GET", "/memory/health"))
    .toMatchObject({
      ...{ status: 200, body: { data: { healthy: true, runningTurns: 0 } } },
    });
});
