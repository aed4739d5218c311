"""Asks the routing table of Jasmin for the connector of messages: JSON in, JSON out.

In: a list of cases, each {"rules": [{"order", "to", "from", "user", "group", "connectors"}], "messages": [{"user", "from", "to"}], "bound": [cid]}.
`to` and `from` are regular expressions. Order 0 is the default route. Out: for each case a list with the connector of each message, null for none.
"""
import json
import sys

from jasmin.routing.Filters import DestinationAddrFilter, GroupFilter, SourceAddrFilter, UserFilter
from jasmin.routing.jasminApi import Group, SmppClientConnector, User
from jasmin.routing.Routables import RoutableSubmitSm
from jasmin.routing.Routes import DefaultRoute, FailoverMTRoute, StaticMTRoute
from jasmin.routing.RoutingTables import MTRoutingTable
from smpp.pdu.operations import SubmitSM

users = {}


def user(uid):
    """Users are in the group that their name begins with."""
    if uid not in users:
        users[uid] = User(uid, Group(uid.split('_')[0]), uid, 'secret')
    return users[uid]


def filters_of(rule):
    filters = []
    if 'to' in rule:
        filters.append(DestinationAddrFilter(rule['to']))
    if 'from' in rule:
        filters.append(SourceAddrFilter(rule['from']))
    if 'user' in rule:
        filters.append(UserFilter(user(rule['user'])))
    if 'group' in rule:
        filters.append(GroupFilter(Group(rule['group'])))
    return filters


def route_of(rule):
    connectors = [SmppClientConnector(cid) for cid in rule['connectors']]
    if rule['order'] == 0:
        return DefaultRoute(connectors[0])
    if len(connectors) == 1:
        return StaticMTRoute(filters_of(rule), connectors[0], 0.0)
    return FailoverMTRoute(filters_of(rule), connectors, 0.0)


def connector_of(table, message, bound):
    pdu = SubmitSM(source_addr=message['from'].encode(), destination_addr=message['to'].encode(), short_message=b'x')
    route = table.getRouteFor(RoutableSubmitSm(pdu, user(message['user'])))
    if route is None:
        return None
    connector = route.getConnector()
    # As jasmin/protocols/http/endpoints/send.py: only a failover route asks whether its connector is bound.
    if repr(route) == 'FailoverMTRoute':
        while connector is not None and connector.cid not in bound:
            connector = route.getConnector()
    return None if connector is None else connector.cid


def answer(case):
    table = MTRoutingTable()
    for rule in case['rules']:
        table.add(route_of(rule), rule['order'])
    return [connector_of(table, message, case['bound']) for message in case['messages']]


json.dump([answer(case) for case in json.load(sys.stdin)], sys.stdout)
