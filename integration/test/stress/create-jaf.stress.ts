import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { launchChromium } from "../../../test/chromium.ts";
import { startFakeChat } from "../../../test/fakes/openai-chat.ts";
import { type ReleasedRegistry, startReleasedRegistry } from "../../../test/released.ts";
import { freePort } from "../../../test/servers.ts";
import { installTool } from "../../../test/tools.ts";
import {
  createProject,
  type Project,
  type RunningProject,
  runScript,
  startProject,
} from "../support/created/project.ts";

const run = promisify(execFile);
let registry: ReleasedRegistry;
/** The program as npm unpacks it. */
let program: string;
const projects: Project[] = [];
const running: RunningProject[] = [];

beforeAll(async () => {
  registry = await timed("build, pack and publish", startReleasedRegistry);
  program = await unpacked("create-jaf");
}, 600_000);

afterEach(async () => {
  await Promise.all(running.splice(0).map(({ stop }) => stop()));
});

afterAll(async () => {
  // Not all of these are there if `beforeAll` has failed.
  await registry?.stop();
  await Promise.all(projects.map(({ remove }) => remove()));
  if (program !== undefined) await rm(join(program, "../.."), { recursive: true });
});

async function unpacked(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "jaf-unpacked-"));
  const tarball = registry.packages.find((each) => each.name === name)?.tarball ?? "";
  await run("tar", ["-xzf", tarball, "-C", folder]);
  return join(folder, "package/bin.cjs");
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  console.log(`${what}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return result;
}

const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  ...registry.environment,
  npm_config_yes: "true",
  ...more,
});

const NPM = ["npm", "create", "jaf@latest"] as const;

async function created(flags: readonly string[], command: readonly [string, ...string[]] = NPM) {
  const separator = command[0] === "npm" ? ["--"] : [];
  const creation = { command, flags: [...separator, ...flags], environment: environment() };
  const project = await timed(`${command.join(" ")} ${flags.join(" ")}`, () => createProject(creation));
  projects.push(project);
  return project;
}

async function started(project: Project, env: NodeJS.ProcessEnv): Promise<RunningProject> {
  const program = await startProject(project, env);
  running.push(program);
  return program;
}

describe("npm create jaf", () => {
  it("makes a chat in the terminal that runs at once and continues after a restart", async () => {
    const project = await created([]);
    expect(project.created).toContain("npm start");
    const talk = (input: readonly string[]) =>
      timed("a conversation in the terminal", () =>
        runScript(project, "start", { environment: environment(), input }),
      );
    const first = await talk(["Hello", "What time is it?"]);
    expect(first).toContain("message 1 of");
    expect(first).toMatch(/It is \d\d\/\d\d\/\d{4}/);
    const second = await talk(["Hello again", "And what time is it now?"]);
    expect(second).toContain("message 7 of");
    expect(second).toMatch(/It is \d\d\/\d\d\/\d{4}/);
    expect(
      await timed("npm run typecheck", () => runScript(project, "typecheck", { environment: environment() })),
    ).toBe("");
  });

  it("makes a page that streams and shows the conversation after a restart", async () => {
    const project = await created(["--ui", "page"]);
    const env = environment({ PORT: String(await freePort()) });
    const browser = await launchChromium();
    try {
      const page = await browser.newPage({ viewport: { width: 900, height: 620 }, colorScheme: "light" });
      page.setDefaultTimeout(120_000);
      const errors: string[] = [];
      page.on("pageerror", ({ message }) => errors.push(message));
      const say = async (text: string) => {
        await page.fill("input", text);
        await page.keyboard.press("Enter");
      };
      const first = await started(project, env);
      await page.goto(first.url);
      await say("Hello");
      await page.getByText("message 1 of").waitFor();
      await say("What time is it?");
      await page.getByText(/^It is \d\d/).waitFor();
      await first.stop();

      const second = await started(project, env);
      await page.goto(second.url);
      await page.getByText(/^It is \d\d/).waitFor();
      await say("Hello again");
      await page.getByText("message 7 of").waitFor();
      expect(errors).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  it("makes a server over OpenAI and Redis, and says what is missing", async () => {
    const project = await created(["--model", "openai", "--storage", "redis", "--ui", "server"]);
    const start = (more: NodeJS.ProcessEnv) =>
      runScript(project, "start", { environment: environment({ OPENAI_API_KEY: "", ...more }) });
    expect(await start({})).toBe("OPENAI_API_KEY is missing: add it to .env.\n");
    const REDIS_URL = `redis://127.0.0.1:${await freePort()}`;
    expect(await start({ OPENAI_API_KEY: "key", REDIS_URL })).toMatch(/^\S.*docker compose up -d.*\n$/);

    const service = await startFakeChat({ steps: ["Hello Ada.", "Your name is Ada."], apiKey: "key" });
    try {
      const port = await freePort();
      const env = environment({
        OPENAI_API_KEY: "key",
        OPENAI_BASE_URL: service.baseURL,
        REDIS_URL: `${inject("redisUrl")}/9`, // a database that no other test uses
        PORT: String(port),
      });
      const first = await started(project, env);
      const { conversationId, text } = await chat(first.url, { message: "My name is Ada." });
      expect(text).toBe("Hello Ada.");
      expect(await start(env)).toBe(
        `Port ${port} is taken: stop the other program, or change PORT in .env.\n`,
      );
      await first.stop();

      const second = await started(project, env);
      const message = "What is my name?";
      expect(await chat(second.url, { message, conversationId })).toMatchObject({
        text: "Your name is Ada.",
      });
      expect(service.requests.at(-1)?.messages.map(({ role }) => role)).toEqual([
        ...["system", "user", "assistant", "user"],
      ]);
    } finally {
      await service.close();
    }
  });

  it("makes a script over Postgres", async () => {
    const project = await created(["--storage", "postgres", "--ui", "none"]);
    const schema = `test_${crypto.randomUUID().replaceAll("-", "")}`;
    const DATABASE_URL = `${inject("pgUrl")}?options=-csearch_path%3D${schema}`;
    const database = new pg.Client({ connectionString: DATABASE_URL });
    await database.connect();
    try {
      await database.query(`CREATE SCHEMA ${schema}`);
      const options = { environment: environment({ DATABASE_URL }) };
      expect(await runScript(project, "start", options)).toMatch(/^It is \d\d.*\n$/);
      expect(await runScript(project, "start", options)).toMatch(/^It is \d\d.*\n$/);
      const { rows } = await database.query("SELECT total_messages::int FROM conversations");
      expect(rows).toEqual([{ total_messages: 8 }]); // Twice a question, a call, its result and a reply.
      expect(await runScript(project, "typecheck", options)).toBe("");
      const missing = new URL(DATABASE_URL);
      missing.pathname = `/${schema}`;
      const unknown = { environment: environment({ DATABASE_URL: missing.href }) };
      expect(await runScript(project, "start", unknown)).toMatch(
        /^.*no such database.* Correct DATABASE_URL in \.env\.\n$/,
      );
    } finally {
      await database.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      await database.end();
    }
  });

  it("installs with pnpm if pnpm runs it", async () => {
    const project = await created(["--ui", "none"], ["npx", "pnpm@12.21.0", "create", "jaf@latest"]);
    expect(project.created).toContain("pnpm start");
    expect(await runScript(project, "start", { environment: environment() })).toMatch(/^It is \d\d.*\n$/);
  });

  it("keeps the files and says how to repeat an installation that failed", async () => {
    const npm_config_registry = `http://127.0.0.1:${await freePort()}`;
    const folder = await mkdtemp(join(tmpdir(), "jaf-failed-"));
    try {
      const options = { cwd: folder, env: environment({ npm_config_registry }) };
      const failed = run(process.execPath, [program, "my-agent"], options);
      await expect(failed).rejects.toMatchObject({
        code: 1,
        stderr: `npm install failed: the registry can't be reached (ECONNREFUSED). The files are written. To repeat it: cd my-agent && npm install\n`,
      });
      expect(existsSync(join(folder, "my-agent/src/main.ts"))).toBe(true);
      const start = run(process.execPath, ["start.js"], { cwd: join(folder, "my-agent") });
      await expect(start).rejects.toMatchObject({ code: 1, stderr: "Run `npm install` first.\n" });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("says in one line that Node.js is too old, also when the program starts", async () => {
    const name = `node-${process.platform}-${process.arch}`;
    const node = join(await installTool(name, "16.20.2"), name, "bin/node");
    const stderr = "Node.js 16.20.2 is too old: install 20.19 or newer from https://nodejs.org\n";
    await expect(run(node, [program])).rejects.toMatchObject({ code: 1, stderr });
    const [project] = projects;
    await expect(run(node, ["start.js"], { cwd: project?.folder })).rejects.toMatchObject({
      code: 1,
      stderr,
    });
  });
});

interface Answer {
  readonly conversationId: string;
  readonly text: string;
}

async function chat(url: string, body: object): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}/chat`, { method: "POST", headers, body: JSON.stringify(body) });
  const { data } = (await response.json()) as { readonly data: Answer };
  return data;
}
