/** A data provider of react-admin. @param include - the relationships of each type that its records have, as ids */
export function createDataProvider(client, include = {}) {
  const toId = (value) => (Array.isArray(value) ? value.map(toId) : value?.type ? value.id : value)
  const toRecord = (resource) =>
    Object.fromEntries(Object.entries(resource).map(([name, value]) => [name, toId(value)]))
  const one = async (resource) => ({ data: toRecord(await resource) })
  const related = (type) => ({ include: include[type] ?? [] })
  const cursors = new Map()
  const list = async (type, { pagination, sort, filter, signal }) => {
    const { page: number = 1, perPage: size } = pagination
    const order = sort && [`${sort.order === 'DESC' ? '-' : ''}${sort.field}`]
    const keyOf = (page) => JSON.stringify([type, filter, order, size, page])
    const page = { size, ...(cursors.get(keyOf(number)) ?? (number > 1 && { number })) }
    const query = { ...related(type), filter, sort: order, page }
    const { data, meta, links } = await client[type].list(query, { signal })
    const after = links.next && new URL(links.next).searchParams.get('page[after]')
    if (after) cursors.set(keyOf(number + 1), { after })
    return { data: data.map(toRecord), total: meta.count }
  }
  const update = (type, { id, data, previousData: old = {} }) => {
    const isNew = ([name, value]) =>
      /\.(hasMore|filtered)$/.test(name) || JSON.stringify(value) !== JSON.stringify(old[name])
    const changes = Object.fromEntries(Object.entries(data).filter(isNew))
    return one(client[type].update(id, changes, related(type)))
  }
  const all = (ids, change) => Promise.all(ids.map(change)).then(() => ({ data: ids }))
  return {
    getList: list,
    getOne: (type, { id, signal }) => one(client[type].get(id, related(type), { signal })),
    getMany: (type, { ids, signal }) =>
      list(type, { filter: { id: { in_: ids } }, pagination: { perPage: ids.length }, signal }),
    getManyReference: (type, { target, id, filter, ...others }) =>
      list(type, { ...others, filter: { ...filter, [`${target}__id`]: id } }),
    create: (type, { data }) => one(client[type].create(data, related(type))),
    update,
    updateMany: (type, { ids, data }) => all(ids, (id) => update(type, { id, data })),
    delete: (type, { id, previousData: data }) => client[type].remove(id).then(() => ({ data })),
    deleteMany: (type, { ids }) => all(ids, (id) => client[type].remove(id)),
  }
}
