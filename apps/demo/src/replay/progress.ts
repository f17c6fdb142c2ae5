const BAR_WIDTH = 24;
const REDRAW_MS = 100;
const LINE_MS = 2_000;

export interface ProgressState {
  readonly conversations: number;
  readonly messages: number;
}

/**
 * A progress bar with messages a second: redrawn in place on a terminal, a line now and then elsewhere.
 * `done` counts all that is finished, `fresh` the messages of this run, which alone make the rate.
 */
export function createProgress(total: ProgressState, out: NodeJS.WriteStream = process.stderr) {
  const start = performance.now();
  const interval = out.isTTY ? REDRAW_MS : LINE_MS;
  let drawnAt = start;

  function text(done: ProgressState, fresh: number): string {
    const share = total.messages === 0 ? 1 : Math.min(1, done.messages / total.messages);
    const filled = Math.round(share * BAR_WIDTH);
    const bar = "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
    const seconds = (performance.now() - start) / 1_000;
    const rate = Math.round(fresh / Math.max(seconds, 0.001));
    return `${bar} ${done.messages}/${total.messages} messages, ${done.conversations}/${total.conversations} conversations, ${rate} messages/s`;
  }

  function draw(done: ProgressState, fresh: number): void {
    out.write(out.isTTY ? `\r\x1b[2K${text(done, fresh)}` : `${text(done, fresh)}\n`);
    drawnAt = performance.now();
  }

  return {
    update: (done: ProgressState, fresh: number): void => {
      if (performance.now() - drawnAt >= interval) draw(done, fresh);
    },
    finish: (done: ProgressState, fresh: number): void => {
      draw(done, fresh);
      if (out.isTTY) out.write("\n");
    },
    /** Leaves the bar as it stands, so that an error starts on a line of its own. */
    interrupt: (): void => {
      if (out.isTTY) out.write("\n");
    },
  };
}
