"""What the browser shows of connect four besides its drawing."""

from sandtable import BoardScreen


class ConnectFourScreen(BoardScreen):
    """A board to click on; BoardScreen lists what else there is."""

    seat_colours = ("#c8453b", "#e3b23c")

    def action(self, view, action):
        """Say where to click for an action: anywhere in the column."""
        place = self.game.notation.action_name(action)
        return {"kind": "play", "from": None, "to": place, "label": place}
