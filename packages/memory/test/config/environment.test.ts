import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import {
  createInMemoryProvider,
  createMemoryProvider,
  createMemoryProviderFromEnv,
  formatEnvironmentReport,
  type MemoryEnvironment,
  MemorySetupError,
  registerMemoryAdapter,
  validateMemoryEnvironment,
} from "../../src/index.ts";
import { expectOk } from "../../src/testing/fixtures/expectations.ts";
import { users } from "../../src/testing/fixtures/messages.ts";
import { type NotesConfig, notesAdapter } from "./notes-adapter.ts";

const opened = vi.fn();
let unregister = () => {};
beforeEach(() => {
  opened.mockClear();
  unregister = registerMemoryAdapter(notesAdapter(opened));
});
afterEach(() => unregister());

const notes = { JAF_MEMORY_TYPE: "notes", JAF_NOTES_FOLDER: "abc" };

async function issuesOf(environment: MemoryEnvironment) {
  const failure: unknown = await createMemoryProviderFromEnv({}, environment).catch((e: unknown) => e);
  expect(failure).toBeInstanceOf(MemorySetupError);
  expect(JSON.stringify(failure) + String(failure)).not.toContain("s3cret");
  const { error } = failure as MemorySetupError;
  return error._tag === "MemoryValidationError" ? error.issues : expect.fail(`got a ${error._tag}`);
}

describe("createMemoryProviderFromEnv", () => {
  it("opens the in-memory provider by default, with the environment's limits", async () => {
    const environment = { JAF_MEMORY_MAX_CONVERSATIONS: "2", JAF_MEMORY_MAX_MESSAGES: "1" };
    const provider = await createMemoryProviderFromEnv({}, environment);
    for (const id of ["a", "b", "c"]) {
      const options = { createIfMissing: "unowned" } as const;
      expectOk(await provider.appendMessages(id, users("1", "2"), {}, options));
    }
    expect(expectOk(await provider.getStats())).toMatchObject({ totalConversations: 2, totalMessages: 2 });
  });

  it("reads text, numbers and booleans, and leaves the rest to the adapter's defaults", async () => {
    const client = { name: "mine" };
    const environment = { ...notes, JAF_NOTES_PORT: " 80 ", JAF_NOTES_READ_ONLY: "YES" };
    await createMemoryProviderFromEnv({ notes: client }, environment);
    await createMemoryProviderFromEnv({}, { ...notes, JAF_NOTES_READ_ONLY: "off", JAF_NOTES_PORT: "" });
    expect(opened.mock.calls).toEqual([
      [{ type: "notes", folder: "abc", port: 80, readOnly: true }, client],
      [{ type: "notes", folder: "abc", port: 7, readOnly: false }, undefined],
    ]);
  });

  it("lists every invalid variable with the expected value, without its value", async () => {
    const environment = {
      JAF_MEMORY_TYPE: "notes",
      JAF_NOTES_PORT: "s3cret",
      JAF_NOTES_READ_ONLY: "s3cret",
    };
    expect(await issuesOf(environment)).toEqual([
      { path: "JAF_NOTES_PORT", expected: "a decimal number" },
      { path: "JAF_NOTES_READ_ONLY", expected: "true or false" },
      { path: "JAF_NOTES_FOLDER", expected: "to be set" },
    ]);
    expect(await issuesOf({ ...notes, JAF_NOTES_PORT: "70000", JAF_NOTES_FOLDER: "x" })).toEqual([
      { path: "JAF_NOTES_FOLDER", expected: expect.stringContaining(">=3") },
      { path: "JAF_NOTES_PORT", expected: expect.stringContaining("65535") },
    ]);
    expect(opened).not.toHaveBeenCalled();
  });

  it.each(["0x10", "1e3", "Infinity", "NaN", "1_000", "5 6", "-", "1.", "٣"])(
    "refuses %s as a number",
    async (text) => {
      const issues = await issuesOf({ JAF_MEMORY_MAX_MESSAGES: text });
      expect(issues).toEqual([{ path: "JAF_MEMORY_MAX_MESSAGES", expected: "a decimal number" }]);
    },
  );

  it.each(["../../x", "Redis", "s3cret:", "red is"])("refuses the type %j", async (type) => {
    const issues = await issuesOf({ JAF_MEMORY_TYPE: type });
    expect(issues).toEqual([{ path: "JAF_MEMORY_TYPE", expected: expect.stringContaining("lower-case") }]);
  });

  it("ignores blanks around the type", async () => {
    await createMemoryProviderFromEnv({}, { ...notes, JAF_MEMORY_TYPE: " notes\n" });
    expect(opened).toHaveBeenCalledOnce();
    await expect(createMemoryProviderFromEnv({}, { JAF_MEMORY_TYPE: "  " })).resolves.toBeDefined();
  });

  it("reads process.env unless given another environment", async () => {
    vi.stubEnv("JAF_MEMORY_MAX_MESSAGES", "none");
    await expect(createMemoryProviderFromEnv()).rejects.toThrow("JAF_MEMORY_MAX_MESSAGES");
    vi.unstubAllEnvs();
    await expect(createMemoryProviderFromEnv()).resolves.toBeDefined();
  });
});

describe("validateMemoryEnvironment", () => {
  it("lists the variables of the default type", async () => {
    const report = await validateMemoryEnvironment({});
    expect(report).toEqual({
      type: "memory",
      valid: true,
      variables: [
        { name: "JAF_MEMORY_TYPE", state: "default", value: "memory", secret: false },
        { name: "JAF_MEMORY_MAX_CONVERSATIONS", state: "default", value: "1000", secret: false },
        { name: "JAF_MEMORY_MAX_MESSAGES", state: "default", value: "1000", secret: false },
      ],
      issues: [],
      warnings: [],
    });
  });

  it("warns if a recommended variable is not set, and opens nothing", async () => {
    const report = await validateMemoryEnvironment(notes);
    expect(report).toMatchObject({
      valid: true,
      warnings: ["JAF_NOTES_PORT is not set: its default is used."],
    });
    expect(report.variables.map(({ name, state }) => [name, state])).toEqual([
      ["JAF_MEMORY_TYPE", "set"],
      ["JAF_NOTES_URL", "unset"],
      ["JAF_NOTES_FOLDER", "set"],
      ["JAF_NOTES_PORT", "default"],
      ["JAF_NOTES_PASSWORD", "unset"],
      ["JAF_NOTES_READ_ONLY", "unset"],
    ]);
    expect(opened).not.toHaveBeenCalled();
  });

  it("mentions no default if a recommended variable is missing or has none", async () => {
    const adapter = notesAdapter();
    const recommend = (...names: readonly string[]) =>
      Object.fromEntries(
        Object.entries(adapter.environment).map(([name, variable]) => [
          name,
          { ...variable, recommended: names.includes(name) },
        ]),
      );
    unregister();
    const environment = recommend("JAF_NOTES_FOLDER", "JAF_NOTES_PASSWORD");
    unregister = registerMemoryAdapter({ ...adapter, environment });
    const missing = await validateMemoryEnvironment({ JAF_MEMORY_TYPE: "notes" });
    expect(missing.issues).toEqual([{ path: "JAF_NOTES_FOLDER", expected: "to be set" }]);
    expect(missing.warnings).toEqual(["JAF_NOTES_PASSWORD is not set."]);
  });

  it("doesn't require a replaced variable, and warns if both are set", async () => {
    const withUrl = { ...notes, JAF_NOTES_URL: "notes://host" };
    expect((await validateMemoryEnvironment(withUrl)).warnings).toEqual([]);
    const both = await validateMemoryEnvironment({ ...withUrl, JAF_NOTES_PORT: "8" });
    expect(both.warnings).toEqual(["JAF_NOTES_PORT has no effect: JAF_NOTES_URL is set."]);
    expect(both.variables.find(({ name }) => name === "JAF_NOTES_PORT")?.state).toBe("replaced");
  });

  it("shows no secret, even in a URL", async () => {
    const environment = {
      ...notes,
      JAF_NOTES_URL: "notes://user:s3cret@host",
      JAF_NOTES_PASSWORD: "s3cret",
    };
    const report = await validateMemoryEnvironment(environment);
    expect(JSON.stringify(report) + formatEnvironmentReport(report)).not.toContain("s3cret");
    expect(formatEnvironmentReport(report)).toContain("JAF_NOTES_PASSWORD: set, (secret)");
    expect(report.variables).toContainEqual({ name: "JAF_NOTES_URL", state: "set", secret: false });
  });

  it.each([
    "notes://user:s3cret/x@host",
    "notes://host?password=s3cret",
    "host=h password=s3cret",
    "u:s3cret@h",
  ])("shows no text that may contain a password, such as %s", async (url) => {
    const report = await validateMemoryEnvironment({ ...notes, JAF_NOTES_URL: url });
    expect(report.valid).toBe(true);
    expect(JSON.stringify(report) + formatEnvironmentReport(report)).not.toContain("s3cret");
  });

  it("hides the schema's message for an invalid secret", async () => {
    const adapter = notesAdapter();
    const configSchema = adapter.configSchema.superRefine(({ password }, context) =>
      context.addIssue({ code: "custom", path: ["password"], message: `expected better than ${password}` }),
    );
    unregister();
    unregister = registerMemoryAdapter({ ...adapter, configSchema });
    const report = await validateMemoryEnvironment({ ...notes, JAF_NOTES_PASSWORD: "s3cret" });
    expect(report.issues).toEqual([{ path: "JAF_NOTES_PASSWORD", expected: "another value" }]);
    const create = createMemoryProvider({ type: "notes", folder: "abc", password: "s3cret" });
    await expect(create).rejects.toThrow("password: expected another value");
  });

  it("shows no default that depends on a secret", async () => {
    const adapter = notesAdapter();
    const configSchema = adapter.configSchema.transform((config) => ({
      ...config,
      url: config.password ?? "none",
    }));
    unregister();
    unregister = registerMemoryAdapter({ ...adapter, configSchema });
    const url = async (environment: MemoryEnvironment) =>
      (await validateMemoryEnvironment(environment)).variables.find(({ name }) => name === "JAF_NOTES_URL");
    expect(await url(notes)).toMatchObject({ state: "default", value: "none" });
    expect(await url({ ...notes, JAF_NOTES_PASSWORD: "s3cret" })).not.toHaveProperty("value");
  });

  it("reports a schema that throws, without quoting it", async () => {
    const configSchema = notesAdapter().configSchema.transform((): NotesConfig => {
      throw new Error("s3cret");
    });
    unregister();
    unregister = registerMemoryAdapter({ ...notesAdapter(), configSchema });
    const report = await validateMemoryEnvironment(notes);
    expect(report.valid).toBe(false);
    expect(formatEnvironmentReport(report)).toContain("threw while it checked its configuration");
    expect(JSON.stringify(report)).not.toContain("s3cret");
    await expect(createMemoryProviderFromEnv({}, notes)).rejects.toThrow(MemorySetupError);
  });

  it("sets a field of any name, even __proto__", async () => {
    const configSchema = z.custom<object>();
    const created = vi.fn(() => createInMemoryProvider());
    const environment = { JAF_ODD_PROTO: { field: "__proto__" }, JAF_ODD_MAKER: { field: "constructor" } };
    const undo = registerMemoryAdapter({ type: "odd", configSchema, environment, create: created });
    const values = { JAF_MEMORY_TYPE: "odd", JAF_ODD_PROTO: "value" };
    await createMemoryProviderFromEnv({}, values);
    const report = await validateMemoryEnvironment(values);
    undo();
    expect(Object.getOwnPropertyDescriptor(created.mock.lastCall?.[0 as never], "__proto__")?.value).toBe(
      "value",
    );
    expect(report.variables.map(({ state }) => state)).toEqual(["set", "set", "unset"]);
  });

  it("lists invalid and missing variables", async () => {
    const report = await validateMemoryEnvironment({ JAF_MEMORY_TYPE: "notes", JAF_NOTES_PORT: "s3cret" });
    expect(report.valid).toBe(false);
    expect(report.issues.map(({ path }) => path)).toEqual(["JAF_NOTES_PORT", "JAF_NOTES_FOLDER"]);
    const states = new Map(report.variables.map(({ name, state }) => [name, state]));
    expect(states.get("JAF_NOTES_PORT")).toBe("invalid");
    expect(states.get("JAF_NOTES_FOLDER")).toBe("missing");
    expect(formatEnvironmentReport(report)).toContain("JAF_NOTES_FOLDER: expected to be set");
    expect(formatEnvironmentReport(report)).not.toContain("s3cret");
  });

  it("warns of variables that look like the adapter's and of those of another type", async () => {
    const report = await validateMemoryEnvironment({
      ...notes,
      JAF_NOTES_PORT: "8",
      JAF_NOTES_FOLDR: "s3cret",
      JAF_MEMORY_MAX_MESSAGES: "5",
      JAF_OTHER: "x",
      JAF_NOTES_EMPTY: "",
    });
    expect(report.warnings).toEqual([
      "JAF_MEMORY_MAX_MESSAGES has no effect with type notes.",
      expect.stringMatching(/^JAF_NOTES_FOLDR is not a variable of type notes\..*JAF_NOTES_FOLDER/),
    ]);
    expect(report.valid).toBe(true);
  });

  it("reports an invalid type and one that isn't installed, without rejecting", async () => {
    const bad = await validateMemoryEnvironment({ JAF_MEMORY_TYPE: "../x" });
    expect(bad).toMatchObject({ valid: false, issues: [{ path: "JAF_MEMORY_TYPE" }] });
    expect(bad).not.toHaveProperty("type");
    const missing = await validateMemoryEnvironment({ JAF_MEMORY_TYPE: "nowhere" });
    expect(missing).toMatchObject({ type: "nowhere", valid: false });
    expect(formatEnvironmentReport(missing)).toContain("npm install @jaf/memory-nowhere");
  });
});
