import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const pgCtl = '/usr/lib/postgresql/15/bin/pg_ctl'

/** Stops, starts or restarts a node of a local cluster, as the user of the cluster. @param folder - that of its data */
export async function controlNode(folder: string, ...args: readonly string[]): Promise<void> {
  const command = [pgCtl, '-D', folder, '-l', `${folder}.log`, '-w', ...args]
  await promisify(execFile)('runuser', ['-u', 'postgres', '--', ...command])
}
