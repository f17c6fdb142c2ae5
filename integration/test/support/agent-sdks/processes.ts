import { fork } from "node:child_process";
import { once } from "node:events";
import { bundleProcess } from "../../../../test/process-bundle.ts";
import { answerSchema, type Place, type TaskName } from "./place.ts";

/** A process of the application. */
export interface Application {
  readonly ask: (name: TaskName, text?: string) => Promise<string>;
  readonly kill: () => Promise<void>;
}

export async function startApplication(place: Place): Promise<Application> {
  const file = await bundleProcess(new URL("child.ts", import.meta.url));
  const child = fork(file, [JSON.stringify(place)], { execArgv: [] });
  const waiting = new Map<number, (answer: string) => void>();
  const answerTo = (id: number) => new Promise<string>((resolve) => waiting.set(id, resolve));
  child.on("message", (message) => {
    const { id, answer } = answerSchema.parse(message);
    waiting.get(id)?.(answer);
  });
  const ended = once(child, "exit");
  const failed = ended.then(([code]) => {
    throw new Error(`the application ended with exit code ${code}`);
  });
  failed.catch(() => {});
  await Promise.race([answerTo(0), failed]);
  let last = 0;
  return {
    ask: (name, text = "") => {
      last += 1;
      const answer = answerTo(last);
      child.send({ id: last, name, text });
      return Promise.race([answer, failed]);
    },
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
