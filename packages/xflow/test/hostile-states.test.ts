// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of a state
import { describe, expect, it } from "vitest";
import { issuesOf, loadScripted, stateWith, yamlWith } from "./support/states.ts";

const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

describe("a hostile file is refused", () => {
  const bomb = [
    "a: &a [x, x, x, x, x, x, x, x, x]",
    ...["b", "c", "d", "e", "f", "g"].map((name, index) => {
      const before = String.fromCharCode("a".charCodeAt(0) + index);
      return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(", ")}]`;
    }),
  ];

  it.each([
    ["aliases that multiply", yamlWith(...bomb), /more than 20000 values/],
    ["an anchor that holds itself", yamlWith("output: &o { type: object, not: *o }"), /contains itself/],
    ["two anchors that hold each other", yamlWith("output: &a { not: &b { not: *a } }"), /contains itself/],
    ["deep nesting", yamlWith(`tools: ${nested(100)}`), /more than 64 levels/],
    ["nesting that the parser bears", yamlWith(`tools: ${nested(4_000)}`), /more than 64 levels/],
    ["nesting that overflows the parser", yamlWith(`tools: ${nested(50_000)}`), /more than 64 levels/],
    ["a key twice", yamlWith("aiModel: other"), /this key is there twice/],
    ["an unknown tag", yamlWith("output: !!js/function 'x'"), /not valid YAML/],
    ["a prototype", yamlWith("__proto__: { type: x }"), /__proto__ can't be a key/],
    ["a number that JSON doesn't have", yamlWith("maxToolExecutions: .inf"), /expected a JSON value/],
    ["several documents", `${yamlWith()}\n---\n${yamlWith()}`, /not valid YAML/],
    ["a megabyte of conditions", yamlWith(`agentOutcomes: ["${"x".repeat(2 ** 20)}"]`), /limits\.textLength/],
    [
      "too many outcomes",
      yamlWith(`agentOutcomes: [${"{condition: '${true}', transition: A}, ".repeat(1_000)}]`),
      /100/,
    ],
  ])("%s", async (_, text, message) => {
    const [issue] = await issuesOf(text);
    expect(issue?.message).toMatch(message);
  });

  const many = (count: number, line: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => line(index));

  it.each([
    ["many aliases", yamlWith("a: &a x", `tools: [${many(18_000, () => "*a").join(", ")}]`)],
    ["many anchors", yamlWith(...many(9_000, (index) => `k${index}: [&a${index} x, *a${index}]`))],
    ["many keys", yamlWith(...many(19_000, (index) => `k${index}: 1`))],
    [
      "too many expressions",
      yamlWith("memory: { memoryId: '${1}' }").replace("Be brief.", "${1}".repeat(1_000)),
    ],
  ])("%s, in a few seconds", async (_, text) => {
    const began = performance.now();
    expect((await issuesOf(text)).length).toBeGreaterThan(0);
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it("an object that JSON can't represent", async () => {
    const cyclic: Record<string, unknown> = stateWith();
    cyclic["output"] = cyclic;
    expect(await issuesOf(cyclic)).toMatchObject([
      { message: expect.stringContaining("JSON can represent") },
    ]);
    expect(await issuesOf(stateWith({ output: 1n }))).toMatchObject([
      { message: expect.stringContaining("JSON") },
    ]);
    expect(await issuesOf([stateWith(), stateWith()])).toMatchObject([
      { message: expect.stringContaining("list of 2") },
    ]);
  });

  it.each([
    ["a remote reference", { $ref: "https://example.com/schema.json" }, /only references within the schema/],
    ["a reference to a file", { $ref: "file:///etc/passwd" }, /only references within the schema/],
    [
      "references that double at each level",
      {
        $ref: "#/$defs/d60",
        $defs: Object.fromEntries([
          ["d0", { type: "object" }],
          ...Array.from({ length: 60 }, (_, level) => [
            `d${level + 1}`,
            { allOf: [{ $ref: `#/$defs/d${level}` }, { $ref: `#/$defs/d${level}` }] },
          ]),
        ]),
      },
      /too long to compile/,
    ],
    ["a reference to itself", { $ref: "#" }, /without end/],
    ["an unknown keyword", { type: "object", propertys: {} }, /unknown keyword/],
    ["an unknown type", { type: "objekt" }, /type/],
    ["an unknown format", { type: "string", format: "colour" }, /unknown format/],
    ["an unknown dialect", { $schema: "https://example.com/dialect" }, /draft-07 or 2020-12/],
    ["a broken pattern", { type: "string", pattern: "(" }, /regular expression/i],
    ["an asynchronous schema", { $async: true, type: "object" }, /\$async/],
  ])("with a schema that has %s", async (_, output, message) => {
    expect(await issuesOf(stateWith({ output }))).toEqual([
      { field: "output", message: expect.stringMatching(message) },
    ]);
  });
});

describe("a hostile expression ends in time", () => {
  const limits = { jq: { timeMs: 500, outputLength: 1_000 } };

  it.each([
    ["loops", "def f: f; f", "time"],
    ["loops by until", "until(false; .)", "time"],
    ["gives results without end", "repeat(1)", "time"],
    ["allocates a list without end", '[repeat("abcdefgh")]', /memory|time/],
    ["allocates a text", 'reduce range(100) as $i ("aaaa"; . + .)', "memory"],
    ["allocates a huge text at once", '"x" * (.question | length * 200000000)', "memory"],
    ["gives a result that is too long", '"x" * 5000', "output"],
    ["matches in exponential time", '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaab" | test("^(a+)+$")', /time|failed/],
    ["reads a prototype of a value", '"a" | .constructor', "failed"],
    ["stops jq", "halt_error", /failed|value/],
    ["asks for more input", "input", "failed"],
  ])("%s", async (_, expression, reason) => {
    const { state, model } = await loadScripted(stateWith({ userMessage: `\${ ${expression} }` }), [], {
      limits,
    });
    const ended = await state.run({ question: "secret" });
    expect(ended).toMatchObject({
      status: "error",
      error: { _tag: "TemplateError", field: "userMessage", reason: expect.stringMatching(reason) },
    });
    if (ended.status === "error" && "message" in ended.error)
      expect(ended.error.message).not.toContain("secret");
    expect(model.requests).toEqual([]);
  });

  it("and the next one is evaluated normally", async () => {
    const text = "${ if .loop then until(false; .) else .question end }";
    const { state } = await loadScripted(stateWith({ userMessage: text }), ["Yes."], { limits });
    const both = await Promise.all([state.run({ loop: true }), state.run({ question: "Is it?" })]);
    expect(both.map(({ status }) => status)).toEqual(["error", "completed"]);
  });

  it.each([
    [".constructor", null],
    [".__proto__", null],
    [".hasOwnProperty", null],
    ['$ENV.PATH // env.HOME | . == "/" or . == null or . == "/home/web_user"', true],
  ])("and %s shows nothing of this process", async (expression, value) => {
    const script = [JSON.stringify("Yes.")];
    const condition = `\${ (${expression}) == ${JSON.stringify(value)} }`;
    const { state } = await loadScripted(
      stateWith({ agentOutcomes: [{ condition, transition: "A" }] }),
      script,
    );
    expect(await state.run({ question: "Is it?" })).toMatchObject({ transition: "A" });
  });

  it.each([
    ["a pattern", { type: "string", pattern: "^(a+)+$" }],
    ["a pattern under not", { type: "string", not: { pattern: "^(a+)+!?b$" } }],
  ])("in %s of a schema: the reply doesn't match", async (_, output) => {
    const reply = JSON.stringify(`${"a".repeat(50)}!`);
    const { state } = await loadScripted(stateWith({ output }), [reply, JSON.stringify("aaa")]);
    expect(await state.run({ question: "Is it?" })).toMatchObject({ returnValues: "aaa" });
  });
});
