import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';

/** Network and shared file systems by their `f_type` (man 2 statfs). Locks and flushes may have no effect on them. */
const SHARED: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0x65735546, 'FUSE or virtiofs'],
  [0x01021997, '9p'],
  [0x786f4256, 'VirtualBox'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x5346414f, 'AFS'],
]);

/** Returns the number of the file system that a file is on, or will be. */
export function fileSystemOf(path: string): number {
  return existsSync(path) ? statfsSync(path).type : fileSystemOf(dirname(path));
}

/** Throws if the file system of a store is a network or shared one. */
export function requireLocalDisk(type: number): void {
  const name = SHARED.get(type);
  if (name === undefined) return;
  throw new Error(
    `its folder is a network or shared one (${name}), where locks and flushes may not work; use a local disk, or accept the risk with SERVICE_STORE_SHARED_FOLDER=1`,
  );
}
