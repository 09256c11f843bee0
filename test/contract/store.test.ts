import { contractDatabases } from './contract-databases.ts'
import { describeStore } from './store-contract.ts'

for (const contract of contractDatabases) describeStore(contract)
