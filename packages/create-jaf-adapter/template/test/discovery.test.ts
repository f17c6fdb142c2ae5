import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const application = fileURLToPath(new URL("./application.mjs", import.meta.url));

const run = (environment: Readonly<Record<string, string>>) =>
  promisify(execFile)(process.execPath, [application], { env: { ...process.env, ...environment } });

test("an application finds this package by JAF_MEMORY_TYPE", async () => {
  const location = await mkdtemp(join(tmpdir(), "jaf-my-store-"));
  onTestFinished(() => rm(location, { recursive: true, force: true }));
  const { stdout } = await run({ JAF_MEMORY_TYPE: "my-store", JAF_MY_STORE_LOCATION: location });
  expect(stdout).toBe("found\n");
});

test("a missing setting is named by its variable", async () => {
  const environment = { JAF_MEMORY_TYPE: "my-store", JAF_MY_STORE_LOCATION: "" };
  await expect(run(environment)).rejects.toThrow("JAF_MY_STORE_LOCATION");
});
