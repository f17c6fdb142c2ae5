import { type Disk, openDisk } from "../../src/disk.ts";

export interface CuttableDisk {
  readonly openFolder: (folder: string) => Disk;
  /** Like a crash of the process: calls in progress still reach the disk, but never return, and the lock is gone. */
  readonly cut: () => Promise<void>;
}

/** Creates a disk that can be cut off during calls. */
export function createCuttableDisk(): CuttableDisk {
  const underWay = new Set<Promise<unknown>>();
  const marks: { readonly disk: Disk; readonly name: string }[] = [];
  let connected = true;

  const cuttable =
    <Args extends readonly unknown[], T>(call: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      if (!connected) return new Promise<never>(() => {});
      const sent = call(...args);
      const landed = sent.catch(() => {});
      underWay.add(landed);
      const result = await sent.finally(() => underWay.delete(landed));
      return connected ? result : new Promise<never>(() => {});
    };

  return {
    openFolder: (folder) => {
      const disk = openDisk(folder);
      return {
        folder: disk.folder,
        prepare: cuttable(disk.prepare),
        list: cuttable(disk.list),
        read: cuttable(disk.read),
        append: cuttable(disk.append),
        replace: cuttable(disk.replace),
        remove: cuttable(disk.remove),
        flushFile: cuttable(disk.flushFile),
        flush: cuttable(disk.flush),
        mark: cuttable(async (name) => {
          marks.push({ disk, name });
          await disk.mark(name);
        }),
        check: cuttable(disk.check),
      };
    },
    cut: async () => {
      connected = false;
      await Promise.all(underWay);
      for (const { disk, name } of marks) await disk.remove([name]);
    },
  };
}
